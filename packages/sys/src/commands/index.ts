/** Judges shell commands before they run: parsed, not matched. Imported as `@tau/sys/commands`, at first use. */
export type { CommandEffect, CommandFacts, CommandLocation, CommandWrite, ProgramRun } from "./facts.ts";
export { commandFacts } from "./command-facts.ts";
export { matchesRule, parseCommandRule, shapeOf, type CommandRule, type RuleIntent } from "./rules.ts";
