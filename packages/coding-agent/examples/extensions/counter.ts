/** Stores state in the session: a counter that is restored when the session is resumed. */
import { Type, type ExtensionAPI, type ExtensionContext } from "@tau/coding-agent";

interface State {
	count: number;
}

export default function counter(pi: ExtensionAPI) {
	let state: State = { count: 0 };

	/** The branch says what is true now: after a fork it is that of the fork. */
	const restore = (ctx: ExtensionContext): void => {
		state = { count: 0 };
		for (const entry of ctx.sessionManager.getBranch()) {
			if (entry.type === "custom" && entry.customType === "counter") state = entry.data as State;
		}
	};
	pi.on("session_start", (_event, ctx) => restore(ctx));
	pi.on("session_tree", (_event, ctx) => restore(ctx));

	pi.registerTool({
		name: "count_up",
		label: "Count up",
		description: "Adds to the counter of this session and returns its value.",
		parameters: Type.Object({ by: Type.Optional(Type.Integer({ minimum: 1 })) }),
		executionMode: "sequential",
		async execute(_toolCallId, { by = 1 }) {
			state = { count: state.count + by };
			pi.appendEntry("counter", state);
			return { content: [{ type: "text", text: String(state.count) }], details: state };
		},
	});
}
