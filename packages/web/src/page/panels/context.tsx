/** What fills the context, by source; items can be taken out and brought back. */
import { money, tokens } from "@tau/utils/portable";
import type { JSX } from "preact";

import { runCommand } from "../store/actions.ts";
import type { OpenSession } from "../store/open-session.ts";
import { attempt } from "../store/toasts.ts";
import { Loading } from "./loading.tsx";
import { Section } from "./overview.tsx";
import { useLoaded } from "./use-loaded.ts";

export function ContextPanel({ session }: { session: OpenSession }): JSX.Element {
	const { context } = session.facts.value;
	const loaded = useLoaded(() => session.client.request("get_context", {}), [context.tokens]);
	const change = async (id: string, isDropped: boolean): Promise<void> => {
		await attempt(session.client.request(isDropped ? "restore_context" : "drop_context", { itemIds: [id] }));
		await loaded.reload();
	};
	const report = loaded.data;
	const largest = Math.max(1, ...(report?.sources.map((source) => source.tokens) ?? []));
	return (
		<>
			<p class="context-total">
				<strong>{tokens(context.tokens)}</strong> of {tokens(context.contextWindow)} tokens
				{!context.exact && <span class="muted"> (estimated)</span>}
			</p>
			<meter class="wide-meter" min={0} max={100} high={80} value={context.percent} aria-label="Context" />
			{session.may("control") && (
				<div class="actions">
					<button
						type="button"
						class="chip"
						disabled={session.isBusy.value}
						onClick={() => void runCommand(session, "compact", "")}
					>
						Compact
					</button>
				</div>
			)}
			<Loading from={loaded} />
			{report?.sources.map((source) => (
				<details key={source.name} class="source">
					<summary>
						<span>{source.name}</span>
						<span class="muted">{tokens(source.tokens)}</span>
						<span class="bar-line" style={{ inlineSize: `${(source.tokens / largest) * 100}%` }} />
					</summary>
					<ul class="plain-list">
						{source.items.map(({ id, name, tokens: size, canDrop, isDropped }) => (
							<li key={id} class={isDropped ? "dropped" : ""}>
								<span class="item-name">{name}</span> <span class="muted">{tokens(size)}</span>
								{canDrop && session.may("control") && (
									<button type="button" class="link" onClick={() => void change(id, isDropped)}>
										{isDropped ? "Bring back" : "Drop"}
									</button>
								)}
							</li>
						))}
					</ul>
				</details>
			))}
			{report && report.misses.length > 0 && (
				<Section title="Cache misses">
					<ul class="plain-list">
						{report.misses.map(({ request, cause, tokens: size, cost }) => (
							<li key={request}>
								{cause} <span class="muted">{`${tokens(size)} · ${money(cost)}`}</span>
							</li>
						))}
					</ul>
				</Section>
			)}
		</>
	);
}
