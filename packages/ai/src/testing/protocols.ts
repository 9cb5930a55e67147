/** The table of protocols that the played model supports: another vendor is another row. */

import { anthropicMessages } from "./anthropic.ts";
import { bedrockConverse } from "./bedrock.ts";
import { googleGeminiCli, googleGenerativeAi, googleVertex } from "./google.ts";
import { ollamaChat } from "./ollama.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiCompaction, openaiResponses } from "./openai-responses.ts";
import type { PlayedProtocol } from "./protocol.ts";

export const protocols: readonly PlayedProtocol[] = [
	anthropicMessages,
	bedrockConverse,
	googleGenerativeAi,
	googleVertex,
	googleGeminiCli,
	ollamaChat,
	openaiResponses,
	openaiCompaction,
	openaiCompletions,
];
