/** The list of sessions: who waits for an answer on top, then who works. */
import { money, stripControls } from "@tau/utils/portable";
import type { JSX } from "preact";

import { Icon, IconButton } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { newSession } from "../store/actions.ts";
import { api, type SessionSummary } from "../store/api.ts";
import { askLine, overlay } from "../store/overlay.ts";
import { theme, type Theme } from "../store/preferences.ts";
import { goTo, route } from "../store/route.ts";
import {
	isOffline,
	isWorking,
	list,
	project,
	refresh,
	search,
	showArchived,
	shownSessions,
} from "../store/sessions.ts";
import { attempt } from "../store/toasts.ts";
import { baseName } from "./screens.tsx";

/** At once in the chosen project, or in the last one; a phone shows the list alone, so it asks for the project first. */
function startSession(): void {
	const isAlone = matchMedia("(max-width: 760px)").matches;
	if (isAlone && project.peek() === undefined) goTo({ name: "new" });
	else void newSession();
}

export function Sidebar(): JSX.Element {
	const sessions = shownSessions.value;
	const projects = list.value?.projects ?? [];
	return (
		<nav class="sidebar" aria-label="Sessions">
			<div class="sidebar-head">
				<a class="brand" href="#/" title="All sessions">
					<span aria-hidden="true">τ</span> Tau
				</a>
				<IconButton icon="plus" label="New session" onClick={startSession} />
			</div>
			<label class="search">
				<Icon name="search" />
				<span class="visually-hidden">Search sessions</span>
				<input
					type="search"
					placeholder={showArchived.value ? "Search the archive" : "Search sessions"}
					value={search.value}
					onInput={(event) => (search.value = event.currentTarget.value)}
				/>
			</label>
			{projects.length > 1 && (
				<label class="project-filter">
					<span class="visually-hidden">Project</span>
					<select
						value={project.value ?? ""}
						onChange={(event) => (project.value = event.currentTarget.value || undefined)}
					>
						<option value="">All projects</option>
						{projects.map(({ cwd }) => (
							<option key={cwd} value={cwd}>
								{baseName(cwd)}
							</option>
						))}
					</select>
				</label>
			)}
			{isOffline.value && <p class="offline-note">No connection. What is shown may be old.</p>}
			<ul class="sessions">
				{sessions.map((session) => (
					<SessionLine key={session.id} session={session} />
				))}
				{list.value && sessions.length === 0 && <li class="muted none">{nothingText()}</li>}
			</ul>
			<div class="sidebar-foot">
				<ThemeButton />
				<a
					class="link"
					href="#/stats"
					title="What all sessions cost"
					aria-current={route.value.name === "stats" ? "page" : undefined}
				>
					Statistics
				</a>
				<a
					class="link"
					href="#/fleet"
					title="Tasks on workers, and what they ask"
					aria-current={route.value.name === "fleet" ? "page" : undefined}
				>
					Fleet
				</a>
				<button
					type="button"
					class="link"
					aria-pressed={showArchived.value}
					onClick={() => (showArchived.value = !showArchived.value)}
				>
					Archived
				</button>
				<IconButton icon="help" label="Keys and help" onClick={() => (overlay.value = "help")} />
			</div>
		</nav>
	);
}

function nothingText(): string {
	if (search.value !== "") return "Nothing found.";
	return showArchived.value ? "Nothing is archived." : "No sessions yet.";
}

function SessionLine({ session }: { session: SessionSummary }): JSX.Element {
	const { id, title, firstMessage, cwd, modifiedAt, waiting, cost, isPinned } = session;
	const isCurrent = route.value.name === "session" && route.value.id === id;
	const state = waiting > 0 ? "waiting" : isWorking(session) ? "working" : session.isOpen ? "open" : "closed";
	const said = { waiting: "waits for you", working: "working", open: "open", closed: "" }[state];
	return (
		<li class={`session session-${state}`}>
			<a href={`#/s/${encodeURIComponent(id)}`} aria-current={isCurrent ? "page" : undefined}>
				<span class="session-title">
					{isPinned && (
						<span class="pin" title="Pinned">
							★{" "}
						</span>
					)}
					{stripControls(title || firstMessage || "New session")}
				</span>
				<span class="session-facts">
					<span class={`state state-${state}`}>{said}</span>
					<span>{baseName(cwd)}</span>
					<span>{ago(modifiedAt)}</span>
					{cost !== undefined && cost > 0 && <span>{money(cost)}</span>}
				</span>
			</a>
			<SessionMenu session={session} />
		</li>
	);
}

function SessionMenu({ session }: { session: SessionSummary }): JSX.Element {
	const { id, title, isArchived = false, isPinned = false, isOpen } = session;
	const act = async (work: () => Promise<void>): Promise<void> => {
		await attempt(work());
		await refresh();
	};
	const rename = async (): Promise<void> => {
		const name = await askLine("Name of the session", title);
		if (name !== undefined) await api.change(id, { name });
	};
	const fork = async (): Promise<void> => goTo({ name: "session", id: (await api.fork(id)).id });
	const actions: Readonly<Record<string, () => Promise<void>>> = {
		Rename: rename,
		Fork: fork,
		[isPinned ? "Unpin" : "Pin"]: () => api.change(id, { pinned: !isPinned }),
		[isArchived ? "Bring back" : "Archive"]: () => api.change(id, { archived: !isArchived }),
		...(isOpen ? { "End its process": () => api.close(id) } : { "Move to the trash": () => api.remove(id) }),
	};
	return (
		<Menu
			class="session-more"
			label={`Actions for ${title || "session"}`}
			actions={Object.entries(actions).map(([label, work]) => ({ label, run: () => void act(work) }))}
		/>
	);
}

const nextTheme: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

function ThemeButton(): JSX.Element {
	return (
		<button type="button" class="link" onClick={() => (theme.value = nextTheme[theme.value])} title="Colors">
			<Icon name="sun" /> {theme.value === "system" ? "Auto" : theme.value === "light" ? "Light" : "Dark"}
		</button>
	);
}

function ago(time: number, now = Date.now()): string {
	const minutes = Math.floor((now - time) / 60_000);
	if (minutes < 1) return "now";
	if (minutes < 60) return `${minutes}m`;
	const hours = Math.floor(minutes / 60);
	if (hours < 24) return `${hours}h`;
	const days = Math.floor(hours / 24);
	if (days < 7) return `${days}d`;
	return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
