/** The entry point `@tau/integrations/eval`. */
export { callsOf } from "./call-tools.ts";
export { cellsService } from "./cells.ts";
export { disabledReason } from "./languages.ts";
