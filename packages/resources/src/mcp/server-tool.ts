/** Makes a tool of the session from a tool of a server. */
import type { Progress, Tool } from "@modelcontextprotocol/client";
import type { ToolApproval } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import type { SessionTool } from "@tau/session/run";
import { errorResult, textResult, type ToolEnv } from "@tau/tools/tool";
import { isAbort, isRecord, oneLine, stripControls } from "@tau/utils";

import type { ServerConnection } from "./connection.ts";
import { describe } from "./failure.ts";
import { limits } from "./limits.ts";
import { toolResult } from "./result-content.ts";

export interface ServerToolParts {
	connection: ServerConnection;
	definition: Tool;
	toolName: string;
	/** Whether the user believes what the server says of its tools. */
	isTrusted: boolean;
	env: ToolEnv;
}

export function serverTool({
	connection,
	definition,
	toolName,
	isTrusted,
	env,
}: ServerToolParts): SessionTool {
	const server = connection.found.name;
	const label = oneLine(
		stripControls(definition.title ?? definition.annotations?.title ?? definition.name),
		limits.logLineChars,
	);
	return {
		name: toolName,
		label: `${server}: ${label}`,
		aliases: [`mcp__${server}__${definition.name}`],
		description: cleanDescription(definition),
		parameters: schemaOf(definition),
		concurrency: "shared",
		approval: approvalOf(definition, isTrusted),
		// The server checks them by its own rules, and says what it expects.
		validate: (input) => ({ ok: true, value: { ...input } }),
		async execute(_, params, signal, onUpdate) {
			const onProgress = (progress: Progress): void => onUpdate(textResult(progressText(progress)));
			try {
				const result = await connection.call(definition.name, { ...params }, { signal, onProgress });
				return await toolResult(result, { server, tool: definition.name, toolName }, env, signal);
			} catch (error) {
				if (signal.aborted || isAbort(error)) throw error;
				return errorResult(`MCP error: ${server}: ${describe(error)}`, {
					serverName: server,
					mcpToolName: definition.name,
				});
			}
		},
	};
}

export function cleanDescription({ description, name }: Tool): string {
	return stripControls(description ?? name)
		.slice(0, limits.descriptionChars)
		.trim();
}

/** A hint is a claim of the server: one that the user does not trust may say of any tool that it only reads. */
function approvalOf({ annotations }: Tool, isTrusted: boolean): ToolApproval {
	if (!isTrusted) return "exec";
	if (annotations?.readOnlyHint === true) return "read";
	return annotations?.destructiveHint === false ? "write" : "exec";
}

/** Some providers want `properties` in every object. */
function schemaOf({ inputSchema: schema }: Tool): JsonSchema {
	if (JSON.stringify(schema).length > limits.schemaChars)
		return { type: "object", properties: {}, additionalProperties: true };
	return { ...schema, type: "object", properties: isRecord(schema.properties) ? schema.properties : {} };
}

function progressText({ progress, total, message }: Progress): string {
	const count = total === undefined || total <= 0 ? String(progress) : `${progress}/${total}`;
	return oneLine(stripControls(message === undefined ? count : `${message} (${count})`), limits.logLineChars);
}
