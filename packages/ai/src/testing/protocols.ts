/** The table of protocols that the played model speaks: another vendor is another row. */

import { anthropicMessages } from "./anthropic.ts";
import { openaiCompletions } from "./openai-completions.ts";
import type { PlayedProtocol } from "./protocol.ts";

export const protocols: readonly PlayedProtocol[] = [anthropicMessages, openaiCompletions];
