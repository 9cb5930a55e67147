/** What extensions draw for pages, when a page asks for it. */
import { messageOf } from "@tau/log";

import { knownCall } from "../surfaces/known-call.ts";
import type { RpcCommandOf } from "./commands.ts";
import type { CommandScope } from "./command-scope.ts";
import type { RpcResults } from "./protocol.ts";

type Drawing = RpcResults["draw_for_web"];

export async function drawForWeb(
	{ entryId, toolCallId }: RpcCommandOf<"draw_for_web">,
	scope: CommandScope,
): Promise<Drawing> {
	// A renderer may take its time; the page's other commands do not wait for it.
	scope.release();
	const runner = scope.extensions?.runner;
	if (!runner) return {};
	if (toolCallId !== undefined) {
		const call = knownCall(scope.host, toolCallId);
		if (!call?.isOver || !call.result) return {};
		const { name: toolName, args, result, isError } = call;
		return (await runner.callForWeb({ toolCallId, toolName, args, result, isError })) ?? {};
	}
	const entry = entryId === undefined ? undefined : scope.host.log.getEntry(entryId);
	const [message] = entry ? messageOf(entry) : [];
	return message?.role === "custom" ? ((await runner.messageForWeb(message)) ?? {}) : {};
}
