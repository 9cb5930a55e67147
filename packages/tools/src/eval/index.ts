/** The entry point `@tau/tools/eval`. */
export { callsOf } from "./call-tools.ts";
export { cellsService } from "./cells.ts";
export { disabledReason } from "./languages.ts";
