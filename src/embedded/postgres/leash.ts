// Ends a program when this process ends, also by kill -9: a shell reads from this process's pipe and sends SIGINT to the program when the
// pipe closes. It repeats the signal, since a program that is just starting ignores it.
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

/** The command in that shell; spawn it with a pipe as stdin. */
export const leashed = (command: readonly string[]): string[] => ["sh", "-c", script, "leash", ...command];
