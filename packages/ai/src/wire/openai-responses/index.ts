/** The door of the Responses family: one protocol, spoken in three places. */
export { azureOpenaiResponses } from "./azure.ts";
export { openaiCodexResponses } from "./codex.ts";
export { openaiResponses } from "./openai.ts";
