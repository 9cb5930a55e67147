/** Cassettes: recordings of sessions that replay. */
export { answersOf, promptsOf } from "./conversation.ts";
export { Deck, type Miss } from "./deck.ts";
export { describe } from "./difference.ts";
export { checkTarget, readCassette, textOf, writeCassette } from "./file.ts";
export { forkAt } from "./fork.ts";
export type { Cassette, Facts } from "./format.ts";
export { masked, type MaskedCassette } from "./masked.ts";
export { normalizer, relocator } from "./normal.ts";
export { framesOf, Player, recordingOf } from "./player.ts";
export { cassetteOfLog, Recorder } from "./recorder.ts";
export { environmentFacts, linesOf, Recording, type WrittenCassette } from "./recording.ts";
export { timelineOf, type Timeline } from "./timeline.ts";
export { junit, verified, type Check } from "./verify.ts";
