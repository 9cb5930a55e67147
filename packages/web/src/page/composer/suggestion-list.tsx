/** The suggestions above the composer. */
import type { JSX } from "preact";

import type { Suggestion } from "./suggestions.ts";
import type { Suggestions } from "./use-suggestions.ts";

export function SuggestionList({
	state,
	onPick,
}: {
	state: Suggestions;
	onPick(picked: Suggestion): void;
}): JSX.Element {
	return (
		<ul
			class="suggestions"
			id="suggestions"
			role="listbox"
			aria-label="Suggestions"
			// A long list is scrolled by keys, too.
			tabIndex={0}
			hidden={state.list.length === 0}
		>
			{state.list.map((each, at) => (
				<li
					key={each.label}
					id={`suggestion-${at}`}
					role="option"
					aria-selected={at === state.selected}
					onMouseDown={(event) => {
						event.preventDefault();
						onPick(each);
					}}
				>
					<span class="suggestion-label">{each.label}</span>
					{each.hint && <span class="suggestion-hint">{each.hint}</span>}
					{each.description && <span class="suggestion-text">{each.description}</span>}
				</li>
			))}
		</ul>
	);
}
