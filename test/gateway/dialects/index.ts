/** The vendors' official clients behind one interface. */
import { completions } from "./completions.ts";
import { google } from "./google.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import type { Dialect } from "./types.ts";

export type { Answer, Dialect, Media, Question } from "./types.ts";

export const dialects: readonly Dialect[] = [messages, completions, responses, google];
