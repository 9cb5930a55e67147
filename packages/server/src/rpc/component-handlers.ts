/** What the commands about components of extensions do, and about what they draw for pages. */
import { messageOf } from "@tau/log";
import type { PreviewRestore } from "@tau/session-commands/work";
import { UserError } from "@tau/session/run";
import type { CommandFields } from "@tau/wire";

import { knownCall } from "../surfaces/known-call.ts";
import type { RpcCommand, RpcCommandOf } from "./commands.ts";
import type { CommandScope } from "./command-scope.ts";
import type { RpcResults } from "./protocol.ts";

/** A client that shows components. Disposing of it closes them: the client has left, and does not come back. */
export interface ClientComponents extends Disposable {
	show(facts: CommandFields<"show_components">): Promise<void>;
	draw(request: CommandFields<"draw_blocks">): Promise<void>;
	key(data: string, componentId: string | undefined): Promise<void>;
	text(text: string): Promise<void>;
	leave(): Promise<void>;
	/** Shows the diffs of a restore; undefined where it cannot. */
	readonly preview: PreviewRestore | undefined;
}

const names = [
	"show_components",
	"draw_blocks",
	"component_key",
	"component_text",
	"leave_component",
] as const;
type ComponentCommand = (typeof names)[number];

/** They do not wait for an earlier command, which may wait for a component that they are about. */
export function isComponentCommand({ type }: RpcCommand): boolean {
	return names.some((name) => name === type);
}

export const componentHandlers: {
	readonly [T in ComponentCommand]: (command: RpcCommandOf<T>, scope: CommandScope) => Promise<void>;
} = {
	show_components: (facts, scope) => shownBy(scope).show(facts),
	draw_blocks: (request, scope) => shownBy(scope).draw(request),
	component_key: ({ data, componentId }, scope) => shownBy(scope).key(data, componentId),
	component_text: ({ text }, scope) => shownBy(scope).text(text),
	leave_component: (_, scope) => shownBy(scope).leave(),
};

function shownBy({ components }: CommandScope): ClientComponents {
	if (!components)
		throw new UserError("Components of extensions are shown only by clients that have joined a session.");
	return components;
}

export async function drawForWeb(
	{ entryId, toolCallId }: RpcCommandOf<"draw_for_web">,
	scope: CommandScope,
): Promise<RpcResults["draw_for_web"]> {
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
