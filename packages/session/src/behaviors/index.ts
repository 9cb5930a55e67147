/** The entry point `@tau/session/behaviors`. */
export { advisor } from "./advisor.ts";
export { askTitle } from "./ask-title.ts";
export { startDate } from "./date-notes.ts";
export { memoryModel, memorySettings, SessionMemory, formatUpdate } from "./memory.ts";
export { OtlpExporter } from "./otlp.ts";
export { persistence } from "./persistence.ts";
export { traces } from "./traces.ts";
export { recordCommands } from "./record-commands.ts";
