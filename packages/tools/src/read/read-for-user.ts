/** What the tool shows of a path, for a client: the same text, without the numbers by which a model edits. */
import type { AgentToolResult } from "@tau/agent";
import { uuidv7 } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";

export async function readForUser(
	path: string,
	{ offset, limit }: { offset?: number | undefined; limit?: number | undefined },
	env: ToolEnv,
	signal: AbortSignal,
): Promise<AgentToolResult> {
	const [{ readPath }, { harmless }] = await Promise.all([import("./read-path.ts"), import("./tool.ts")]);
	const context = { ...env, toolCallId: uuidv7(), signal, update: () => {}, readsPlainText: true };
	return harmless(await readPath(path, { offset, limit }, context));
}
