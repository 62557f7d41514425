/** Why a file of this name is not taken. The content says what a file is; the name must not say that it is something else. */
export function nameFault(name: string, format: "csv" | "xlsx"): string | undefined {
  const extension = /\.([^.]*)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === "xls") return "The .xls format is not supported. Re-save it as .csv or .xlsx.";
  if (extension !== "csv" && extension !== "xlsx")
    return "The file's type is not supported. Upload a file whose name ends in .csv or .xlsx.";
  if (extension === "xlsx" && format === "csv")
    return "The file cannot be read as .xlsx: it is text, or damaged. Re-save it as .csv or .xlsx.";
  return undefined;
}
