/** The entry point of print mode. */
export { jsonPrinter } from "./json-printer.ts";
export type { OutputSchema } from "./output-schema.ts";
export { runPrint, type Printer, type PrintOutcome } from "./run-print.ts";
export { textPrinter } from "./text-printer.ts";
