/** The entry point of prompt templates. */
export { builtinPrompts } from "./builtin.ts";
export { expandPrompt, unknownCall, type CallableResources } from "./expand-prompt.ts";
export { findNamedTemplates, findTemplates } from "./find-templates.ts";
export type { PromptTemplate, TemplateFormat } from "./template.ts";
export { parseArguments, slice } from "./arguments.ts";
export { refuseUnknown } from "./expanded-prompt.ts";
export { fillTemplate } from "./fill-template.ts";
export { expandedPrompt } from "./expanded-prompt.ts";
export { readTemplate } from "./find-templates.ts";
export { parseTemplate } from "./parse-template.ts";
