/** The vendors' official clients and Tau's own behind one interface. */
import { completions } from "./completions.ts";
import { google } from "./google.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import { tau } from "./tau.ts";
import type { Dialect } from "./types.ts";

export type { Answer, Dialect, Media, Question } from "./types.ts";

/** Those of the vendors. */
export const dialects: readonly Dialect[] = [messages, completions, responses, google];
export const clients: readonly Dialect[] = [...dialects, tau];
