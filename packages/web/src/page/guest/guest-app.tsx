/** The page of a guest: a name, then the shared session, and nothing else of the host. */
import { cleanName, type RoomLink } from "@tau/wire/room";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { TextField } from "../parts/text-field.tsx";
import { onGuestKey } from "../shell/keys.ts";
import { SessionScreen } from "../shell/session-screen.tsx";
import { Toasts } from "../shell/toasts.tsx";
import { useTitle } from "../shell/use-title.ts";
import { current } from "../store/current.ts";
import { guestName } from "../store/preferences.ts";
import { isHostAsked, joinRoom } from "./join.ts";

export function GuestApp({ link }: { link: RoomLink | string | undefined }): JSX.Element {
	useTitle();
	useEffect(() => {
		addEventListener("keydown", onGuestKey);
		return () => removeEventListener("keydown", onGuestKey);
	}, []);
	return (
		<>
			<div class="app" data-screen="session" data-sidebar="hidden">
				<Main link={link} />
			</div>
			<Toasts />
		</>
	);
}

function Main({ link }: { link: RoomLink | string | undefined }): JSX.Element {
	const now = current.value;
	if (link === undefined) return <Relay />;
	if (typeof link === "string")
		return (
			<Screen title="This link does not open here">
				<p role="alert">{link}</p>
			</Screen>
		);
	if (now.kind === "open") return <SessionScreen session={now.session} />;
	if (now.kind === "none") return <Welcome link={link} />;
	if (now.kind === "failed")
		return (
			<Screen title="The session could not be joined">
				<p role="alert">{now.reason}</p>
				<button type="button" class="primary" onClick={() => void joinRoom(link, guestName.value)}>
					Try again
				</button>
			</Screen>
		);
	return (
		<main class="screen" aria-busy="true">
			<p class="muted pulse">{isHostAsked.value ? "The host is asked to let you in…" : "Joining…"}</p>
		</main>
	);
}

/** The name is asked for once in this browser. */
function Welcome({ link }: { link: RoomLink }): JSX.Element {
	const [name, setName] = useState("");
	const join = (given: string): void => void joinRoom(link, given);
	useEffect(() => {
		if (guestName.value !== "") join(guestName.value);
	}, []);
	const submit = (): void => {
		const given = cleanName(name);
		if (given === "") return;
		guestName.value = given;
		join(given);
	};
	return (
		<Screen title="Join a shared session">
			<p class="muted">The others see your name. What is said is sealed: the relay cannot read it.</p>
			<form
				class="line-form guest-name"
				onSubmit={(event) => {
					event.preventDefault();
					submit();
				}}
			>
				<TextField label="Your name" placeholder="Your name" value={name} isFirst onInput={setName} />
				<button type="submit" class="primary" disabled={cleanName(name) === ""}>
					Join
				</button>
			</form>
		</Screen>
	);
}

/** What a relay shows to visitors without a link. */
function Relay(): JSX.Element {
	return (
		<Screen title="Tau relay">
			<p>This server connects the members of shared Tau sessions. It passes on what it cannot read.</p>
			<p class="muted">
				Open the link that you were sent, or run <code>tau join "&lt;link&gt;"</code> in a terminal.
			</p>
		</Screen>
	);
}

function Screen({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
	return (
		<main class="screen">
			<p class="empty-mark" aria-hidden="true">
				τ
			</p>
			<h1>{title}</h1>
			{children}
		</main>
	);
}
