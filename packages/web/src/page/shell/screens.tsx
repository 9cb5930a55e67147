/** What stands where a session would: nothing chosen, one that is being opened, one that could not be. */
import { plural, stripControls } from "@tau/utils/portable";
import type { JSX } from "preact";

import { EarlyField } from "../composer/early-field.tsx";
import { newSession, newSessionElsewhere } from "../store/actions.ts";
import { join } from "../store/current.ts";
import { goTo, route } from "../store/route.ts";
import { list } from "../store/sessions.ts";
import { ListButtons } from "./list-buttons.tsx";

export function Home(): JSX.Element {
	const projects = list.value?.projects ?? [];
	return (
		<main class="screen home">
			<div class="home-buttons">
				<ListButtons />
			</div>
			<p class="empty-mark" aria-hidden="true">
				τ
			</p>
			<h1>What shall we work on?</h1>
			<p class="muted">
				{projects.length === 0
					? "Start a session in the directory of a project."
					: route.value.name === "new"
						? "Start a session in a project."
						: "Choose a session, or start a new one in a project."}
			</p>
			<ul class="project-list">
				{projects.slice(0, 6).map(({ cwd, sessions }) => (
					<li key={cwd}>
						<button type="button" class="card" onClick={() => void newSession(cwd)}>
							<strong>{baseName(cwd)}</strong>
							<span class="muted">{stripControls(cwd)}</span>
							<span class="muted">{sessions === 0 ? "no session yet" : plural(sessions, "session")}</span>
						</button>
					</li>
				))}
			</ul>
			<button type="button" class="chip" onClick={() => void newSessionElsewhere()}>
				{projects.length === 0 ? "Choose a directory…" : "In another directory…"}
			</button>
			<p class="muted keys-hint">
				<kbd>Ctrl</kbd> <kbd>K</kbd> finds everything · <kbd>?</kbd> shows the keys
			</p>
		</main>
	);
}

export function baseName(path: string): string {
	return stripControls(path.split("/").findLast((part) => part !== "") ?? path);
}

/** It may have to be started first: whoever opens it writes meanwhile. */
export function Opening({ id }: { id: string }): JSX.Element {
	const { title, firstMessage, cwd } = list.value?.sessions.find((each) => each.id === id) ?? {};
	return (
		<main class="session-screen" aria-busy="true">
			<header class="bar">
				<ListButtons />
				<div class="bar-title">
					<h1>{stripControls(title || firstMessage || "New session")}</h1>
					<p class="bar-facts">{cwd !== undefined && <span title={cwd}>{baseName(cwd)}</span>}</p>
				</div>
			</header>
			<div class="transcript-frame screen">
				<p class="muted pulse">Opening the session…</p>
			</div>
			<div class="dock">
				<EarlyField id={id} />
			</div>
		</main>
	);
}

export function Failed({ id, reason }: { id: string; reason: string }): JSX.Element {
	return (
		<main class="screen">
			<h1>The session could not be opened</h1>
			<p role="alert">{reason}</p>
			<p class="actions">
				<button type="button" class="primary" onClick={() => void join(id)}>
					Try again
				</button>
				<button type="button" onClick={() => goTo({ name: "home" })}>
					Back to the list
				</button>
			</p>
		</main>
	);
}
