/** Finds everything by its name: commands of the session, panels, sessions. */
import { stripControls } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { Dialog } from "../parts/dialog.tsx";
import { newSession, newSessionElsewhere, runCommand } from "../store/actions.ts";
import { current } from "../store/current.ts";
import { overlay, panel } from "../store/overlay.ts";
import { commandsOf } from "../store/page-commands.ts";
import { theme } from "../store/preferences.ts";
import { goTo, usualRange } from "../store/route.ts";
import { list, shownSessions } from "../store/sessions.ts";
import { panels } from "./panel-frame.tsx";

interface Action {
	readonly group: string;
	readonly name: string;
	readonly about: string;
	run(): void;
}

const mostShown = 40;

export function Palette(): JSX.Element {
	const [search, setSearch] = useState("");
	const [selected, setSelected] = useState(0);
	const shown = found(actions(), search);
	const close = (): void => void (overlay.value = undefined);
	const run = (action: Action | undefined): void => {
		close();
		action?.run();
	};
	const onKey = (event: KeyboardEvent): void => {
		if (event.isComposing) return;
		if (event.key === "Enter") run(shown[selected]);
		else if (event.key === "ArrowDown") setSelected((selected + 1) % Math.max(1, shown.length));
		else if (event.key === "ArrowUp") setSelected((selected - 1 + shown.length) % Math.max(1, shown.length));
		else return;
		event.preventDefault();
	};
	return (
		<Dialog label="Command palette" class="palette" onClose={close}>
			<input
				type="text"
				class="palette-input"
				autofocus
				placeholder="Commands, panels, sessions"
				aria-label="Search"
				role="combobox"
				aria-expanded="true"
				aria-controls="palette-list"
				aria-activedescendant={shown.length > 0 ? `action-${selected}` : undefined}
				value={search}
				onInput={(event) => {
					setSearch(event.currentTarget.value);
					setSelected(0);
				}}
				onKeyDown={onKey}
			/>
			<ul class="palette-list" id="palette-list" role="listbox" aria-label="Found">
				{shown.map((action, at) => (
					<li
						key={action.group + action.name + at}
						id={`action-${at}`}
						role="option"
						aria-selected={at === selected}
						ref={(element) => {
							if (at === selected) element?.scrollIntoView({ block: "nearest" });
						}}
						onClick={() => run(action)}
					>
						<span class="palette-name">{action.name}</span>
						<span class="muted">{action.about}</span>
						<span class="tag">{action.group}</span>
					</li>
				))}
			</ul>
			{shown.length === 0 && <p class="muted none">Nothing found.</p>}
		</Dialog>
	);
}

function actions(): Action[] {
	const now = current.value;
	const session = now.kind === "open" ? now.session : undefined;
	const commands = (session ? commandsOf(session) : []).map(
		({ name, description, argumentHint }): Action => ({
			group: "command",
			name: `/${name}`,
			about: description,
			// What needs a word after it is written in the composer.
			run: () =>
				argumentHint?.startsWith("<") && session
					? void (session.prefill.value = `/${name} `)
					: session && void runCommand(session, name, ""),
		}),
	);
	const views = session
		? Object.entries(panels).map(([name, { title }]): Action => ({
				group: "panel",
				name: title,
				about: "",
				run: () => (panel.value = name as keyof typeof panels),
			}))
		: [];
	const sessions = shownSessions.value.map(({ id, title, firstMessage, cwd }): Action => ({
		group: "session",
		name: stripControls(title || firstMessage || "New session"),
		about: stripControls(cwd),
		run: () => goTo({ name: "session", id }),
	}));
	const projects = (list.value?.projects ?? []).map(({ cwd }): Action => ({
		group: "new",
		name: `New session in ${stripControls(cwd)}`,
		about: "",
		run: () => void newSession(cwd),
	}));
	const page: Action[] = [
		{
			group: "new",
			name: "New session in another directory",
			about: "",
			run: () => void newSessionElsewhere(),
		},
		{
			group: "page",
			name: "Statistics",
			about: "what all sessions cost",
			run: () => goTo({ name: "stats", range: usualRange }),
		},
		{
			group: "page",
			name: "Gateway",
			about: "keys, and what they have used",
			run: () => goTo({ name: "gateway" }),
		},
		{
			group: "page",
			name: "Fleet",
			about: "tasks on workers, and what they ask",
			run: () => goTo({ name: "fleet" }),
		},
		{ group: "page", name: "Light colors", about: "", run: () => (theme.value = "light") },
		{ group: "page", name: "Dark colors", about: "", run: () => (theme.value = "dark") },
		{ group: "page", name: "Keys and help", about: "", run: () => (overlay.value = "help") },
	];
	return [...views, ...commands, ...sessions, ...projects, ...page];
}

/** Every word has to be there; a name that starts with what was typed comes first. */
function found(all: readonly Action[], search: string): Action[] {
	const words = search.toLowerCase().split(/\s+/).filter(Boolean);
	const typed = search.toLowerCase().replace(/^\//, "");
	const fits = all.filter(({ name, about }) =>
		words.every((word) => `${name} ${about}`.toLowerCase().includes(word)),
	);
	const rank = ({ name }: Action): number =>
		typed !== "" && name.toLowerCase().replace(/^\//, "").startsWith(typed) ? 0 : 1;
	return fits.toSorted((one, other) => rank(one) - rank(other)).slice(0, mostShown);
}
