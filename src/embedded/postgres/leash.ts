// What we start ends with us however we end: a shell holds the other side of our pipe, and interrupts the program when it closes.
// It asks more than once, since a program that is only just starting ignores the signal.
const script = `
exec 3<&0
"$@" 3<&- &
program=$!
{
  read -r _ <&3
  trap 'kill $nap; exit' TERM
  while kill -INT $program; do
    sleep 1 &
    nap=$!
    wait $nap
  done
} 2>/dev/null &
watch=$!
wait $program
code=$?
kill $watch 2>/dev/null
exit $code`;

/** The command on a leash, to be spawned with a pipe as its stdin. */
export const leashed = (command: readonly string[]): string[] => ["sh", "-c", script, "leash", ...command];
