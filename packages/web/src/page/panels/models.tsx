/** The model and its thinking level. */
import { tokens } from "@tau/utils/portable";
import type { PublicModel } from "@tau/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { OpenSession } from "../store/open-session.ts";
import { attempt } from "../store/toasts.ts";
import { Loading } from "./loading.tsx";
import { Section } from "./overview.tsx";
import { useLoaded } from "./use-loaded.ts";

const mostShown = 100;

export function ModelsPanel({ session }: { session: OpenSession }): JSX.Element {
	const { model, thinkingLevel } = session.facts.value;
	const [search, setSearch] = useState("");
	const levels = useLoaded(
		() => session.client.request("get_available_thinking_levels", {}),
		[model.id, model.provider],
	);
	const models = useLoaded(() => session.client.request("get_available_models", {}), []);
	const wanted = search.toLowerCase().split(/\s+/);
	const fits = ({ provider, id, name }: PublicModel): boolean =>
		wanted.every((word) => `${provider}/${id} ${name}`.toLowerCase().includes(word));
	const shown = (models.data?.models ?? []).filter(fits).slice(0, mostShown);
	const mayChange = session.may("control");
	const choose = ({ provider, id }: PublicModel): void =>
		void attempt(session.client.request("set_model", { provider, modelId: id }));
	return (
		<>
			<Section title="Thinking">
				<div class="segments" role="group" aria-label="Thinking level">
					{levels.data?.levels.map((level) => (
						<button
							key={level}
							type="button"
							disabled={!mayChange}
							aria-pressed={level === thinkingLevel}
							onClick={() => void attempt(session.client.request("set_thinking_level", { level }))}
						>
							{level}
						</button>
					))}
				</div>
			</Section>
			<Section title="Model">
				<input
					type="search"
					class="own-words"
					aria-label="Search models"
					placeholder="Search models"
					value={search}
					onInput={(event) => setSearch(event.currentTarget.value)}
					onKeyDown={(event) => event.key === "Enter" && shown[0] && choose(shown[0])}
				/>
				<Loading from={models} />
				<ul class="models">
					{shown.map((each) => (
						<li key={`${each.provider}/${each.id}`}>
							<button
								type="button"
								class="card"
								disabled={!mayChange}
								aria-pressed={each.id === model.id && each.provider === model.provider}
								onClick={() => choose(each)}
							>
								<strong>{each.name}</strong>
								<span class="muted">
									{each.provider} · {tokens(each.contextWindow)} · {priceOf(each)}
								</span>
							</button>
						</li>
					))}
				</ul>
			</Section>
		</>
	);
}

function priceOf({ cost }: PublicModel): string {
	return cost.input === 0 && cost.output === 0 ? "no charge" : `$${cost.input} / $${cost.output}`;
}
