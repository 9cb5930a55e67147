/** The conversation of an agent, asked for when it is opened and again while it works. */
import type { AgentFacts, SessionView, WireMessage } from "@tau/wire";
import { Live } from "@tau/wire/remote";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { transcriptItems } from "../transcript/items.ts";
import { Row } from "../transcript/row.tsx";
import { Loading } from "./loading.tsx";
import { useLoaded } from "./use-loaded.ts";

/** Of a long one, the end. */
const shownRows = 60;

export function ChildTranscript({
	session,
	agent,
}: {
	session: OpenSession;
	agent: AgentFacts;
}): JSX.Element {
	const loaded = useLoaded(
		() => session.client.request("get_child_messages", { childId: agent.id }),
		[agent.id, agent.turns, agent.state],
	);
	const items = useMemo(
		() => transcriptItems(viewOf(session, loaded.data?.messages ?? []), [], []),
		[loaded.data],
	);
	return (
		<div class="child-transcript">
			<Loading from={loaded} />
			{items.slice(-shownRows).map((item) => (
				<div key={item.key} class={`row row-${item.kind}`}>
					<Row item={item} />
				</div>
			))}
		</div>
	);
}

/** Messages as the branch that they would be. */
function viewOf(session: OpenSession, messages: readonly WireMessage[]): SessionView {
	const { view } = session.client;
	const entries = messages.map((message, at) => ({
		type: "message",
		id: `m${at}`,
		parentId: at === 0 ? null : `m${at - 1}`,
		timestamp: "",
		message,
	}));
	return {
		facts: { ...view.facts, phase: "idle" },
		tail: { leafId: null, entries, earlier: 0 },
		live: new Live().state(),
		clients: [],
	};
}
