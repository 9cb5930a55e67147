/** The public interface of the Responses family: one protocol with three variants. */
export { azureOpenaiResponses } from "./azure.ts";
export { openaiCodexResponses } from "./codex.ts";
export { openaiResponses } from "./openai.ts";
