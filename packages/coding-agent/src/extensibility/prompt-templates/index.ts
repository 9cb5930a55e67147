/** The door of prompt templates. */
export { expandPrompt, unknownCall } from "./expand-prompt.ts";
export { findNamedTemplates, findTemplates } from "./find-templates.ts";
export type { PromptTemplate, TemplateFormat } from "./template.ts";
