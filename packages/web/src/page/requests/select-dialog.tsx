/** A list to choose from, with a search as soon as it is long. */
import type { Dialog } from "@tau/wire";
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";

import type { Answer } from "./request-dock.tsx";
import { useNumberKeys } from "./use-number-keys.ts";

type Select = Extract<Dialog, { method: "select" }>;
const searchFrom = 8;

export function SelectDialog({ dialog, answer }: { dialog: Select; answer: Answer }): JSX.Element {
	const { title, options, descriptions = [], selected } = dialog;
	const [search, setSearch] = useState("");
	const wanted = search.toLowerCase();
	const shown = options
		.map((option, at) => ({ option, description: descriptions[at] ?? "" }))
		.filter(({ option, description }) => `${option} ${description}`.toLowerCase().includes(wanted));
	const whole = useRef<HTMLDivElement>(null);
	useNumberKeys(whole, (at) => shown[at] && answer({ value: shown[at].option }));
	return (
		<div ref={whole}>
			<h2>{title}</h2>
			{options.length > searchFrom && (
				<input
					type="search"
					class="own-words"
					aria-label="Search the list"
					placeholder="Search"
					value={search}
					ref={(field) => {
						if (document.activeElement?.tagName === "SECTION") field?.focus();
					}}
					onInput={(event) => setSearch(event.currentTarget.value)}
					onKeyDown={(event) => event.key === "Enter" && shown[0] && answer({ value: shown[0].option })}
				/>
			)}
			<div class="choices choices-list">
				{shown.map(({ option, description }, at) => (
					<button
						key={option}
						type="button"
						class={`choice ${option === selected ? "choice-selected" : ""}`}
						onClick={() => answer({ value: option })}
					>
						{at < 9 && options.length <= searchFrom && <kbd>{at + 1}</kbd>} <span>{option}</span>
						{description !== "" && <span class="muted">{description}</span>}
					</button>
				))}
			</div>
			<div class="choices">
				<button type="button" onClick={() => answer({ cancelled: true })}>
					Cancel
				</button>
			</div>
		</div>
	);
}
