/** What adapters of other protocols share: turns, questions, calls, choices and outputs, in no protocol's words. */
export { answerBy, type Asker, type Choice, type FormAnswer, type Subject } from "./asking.ts";
export { Calls, type CallResult, type CallStep } from "./calls.ts";
export { choose, modeChoice, sessionChoices, type SessionChoice } from "./choices.ts";
export { limits as outputLimits } from "./limits.ts";
export { promptOf, type PromptPart } from "./prompt-parts.ts";
export { SendQueue } from "./send-queue.ts";
export { exitCodeOf, NewOutput, ShownCommands, type OpenTerminals } from "./shown-commands.ts";
export { Turns } from "./turns.ts";
