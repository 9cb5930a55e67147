/** The entry point `@tau/extensions/system-prompt`. */
export { loadPrompt, type InstructionLevels, type PromptRequest } from "./load-prompt.ts";
export { outputStyles, type OutputStyle } from "./output-styles/styles.ts";
export { promptArgument } from "./prompt-argument.ts";
export { loadPromptFiles } from "./prompt-files.ts";
export { systemPrompt } from "./system-prompt.ts";
export { instructionLevels } from "./instruction-levels.ts";
