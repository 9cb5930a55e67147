/** Prompt templates, skills and prompts of MCP servers as the slash menu has them: `/name`, `/skill:name`, `/server:name`. */
import type { McpPrompt } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";

import { resourceRows, serverPromptRows } from "@tau/session-commands";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

export function serverPrompts(prompts: readonly McpPrompt[]): SlashCommand[] {
	return serverPromptRows(prompts).map((row) => onScreen(row));
}

export function calledCommands(resources: Resources | undefined): SlashCommand[] {
	return resourceRows(resources).map((row) => onScreen(row));
}
