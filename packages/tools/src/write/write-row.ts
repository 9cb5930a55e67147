/** Inserts, updates or deletes one row of a SQLite database. */
import type { AgentToolResult } from "@tau/agent";
import { changeRow } from "@tau/sys";
import { notLocal } from "../files/not-local.ts";
import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import type { SqliteTarget } from "./sqlite-target.ts";

export async function writeRow(
	target: SqliteTarget,
	content: string,
	{ machine, toolCallId }: ToolContext,
): Promise<AgentToolResult> {
	if (!target.ok) return errorResult(target.reason);
	const { database, absolute, table } = target;
	const path = machine.files.localPath(absolute);
	if (path === undefined) return errorResult(notLocal(database, machine));
	try {
		const { text, changed } = await changeRow(path, target, content);
		if (changed > 0) machine.files.noteChange({ toolCallId }, absolute);
		return textResult(text, { database: absolute, table, changed });
	} catch (error) {
		return errorResult(`${database}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
