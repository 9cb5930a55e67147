/** A recording that plays: the conversation as it came about, and the bar that controls it. */
import { plural } from "@tau/utils/portable";
import { Playback, Replica, type PlaybackState } from "@tau/wire/remote";
import type { RecordingDocument } from "@tau/wire/share";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { limits } from "../limits.ts";
import { IconButton } from "../parts/icon.tsx";
import { replicaClient } from "../store/file-client.ts";
import { OpenSession } from "../store/open-session.ts";
import { theme } from "../store/preferences.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { localTime } from "./reading.tsx";
import { isEmbedded, nextTheme } from "./viewer-app.tsx";

const speeds = [0.5, 1, 2, 4, 8, 16] as const;

/** Whoever asked for less motion starts it themselves. */
const startsPaused = matchMedia("(prefers-reduced-motion: reduce)").matches;

interface Played extends Disposable {
	readonly session: OpenSession;
	readonly playback: Playback;
}

function played({ recorded }: RecordingDocument): Played {
	const replica = new Replica();
	const playback = new Playback(recorded, 1, (frame) => replica.take(frame));
	if (startsPaused) playback.pause(true);
	playback.start();
	const session = new OpenSession(recorded.facts.session.id, replicaClient(replica));
	session.owns(playback);
	return { session, playback, [Symbol.dispose]: () => session[Symbol.dispose]() };
}

export function RecordingApp({ shown }: { shown: RecordingDocument }): JSX.Element {
	const player = useMemo(() => played(shown), [shown]);
	useEffect(() => () => player[Symbol.dispose](), [player]);
	useEffect(() => {
		document.title = `${shown.title} · Tau`;
	}, [shown.title]);
	const facts = [
		localTime(Date.parse(shown.createdAt)),
		shown.recorded.facts.model.name,
		plural(shown.recorded.steps, "answer"),
		shown.masked > 0 ? `${plural(shown.masked, "secret")} masked` : "",
	].filter(Boolean);
	return (
		<div class={`recording${isEmbedded ? " is-embedded" : ""}`}>
			<header class="bar">
				<div class="bar-title">
					<h1>{shown.title || "Recording"}</h1>
					<p class="bar-facts">{facts.join(" · ")}</p>
				</div>
				<IconButton icon="sun" label={`Colors: ${theme.value}`} onClick={nextTheme} />
			</header>
			<main class="session-screen">
				<Transcript session={player.session} />
			</main>
			<PlayerBar playback={player.playback} />
		</div>
	);
}

function PlayerBar({ playback }: { playback: Playback }): JSX.Element {
	const [state, setState] = useState<PlaybackState>(() => playback.state);
	const look = (): void => setState(playback.state);
	useEffect(() => {
		const timer = setInterval(look, limits.playerMs);
		return () => clearInterval(timer);
	}, [playback]);
	const act = (change: () => void): void => {
		change();
		look();
	};
	const toggle = (): void =>
		act(() => {
			if (!playback.state.isOver) return playback.pause(!playback.state.isPaused);
			playback.pause(false);
			playback.seekStep(0);
		});
	const step = (by: number): void => act(() => playback.seekStep(Math.max(0, playback.state.current + by)));
	usePlayerKeys({ toggle, step });
	const { isPaused, isOver, atMs, lengthMs, speed } = state;
	const label = isOver ? "Play again" : isPaused ? "Play" : "Pause";
	return (
		<footer class="player" aria-label="Player">
			<IconButton
				class="player-play"
				icon={isPaused || isOver ? "play" : "pause"}
				label={label}
				onClick={toggle}
			/>
			<IconButton icon="back" label="Previous answer" onClick={() => step(-1)} />
			<IconButton icon="chevron" label="Next answer" onClick={() => step(1)} />
			<input
				type="range"
				class="player-seek"
				aria-label="Position"
				aria-valuetext={`${clock(atMs)} of ${clock(lengthMs)}`}
				min={0}
				max={Math.max(1, lengthMs)}
				step={1}
				value={atMs}
				onInput={(event) => {
					const ms = Number(event.currentTarget.value);
					act(() => playback.seekMs(ms));
				}}
			/>
			<span class="player-time">
				{clock(atMs)} / {clock(lengthMs)}
			</span>
			<span class="player-step muted">{`answer ${state.step} of ${state.steps}`}</span>
			<select
				class="player-speed"
				aria-label="Speed"
				value={speed}
				onChange={(event) => {
					const chosen = Number(event.currentTarget.value);
					act(() => playback.setSpeed(chosen));
				}}
			>
				{speeds.map((each) => (
					<option key={each} value={each}>{`${each}×`}</option>
				))}
			</select>
		</footer>
	);
}

/** Fields and buttons keep their own keys. */
function usePlayerKeys({ toggle, step }: { toggle(): void; step(by: number): void }): void {
	useEffect(() => {
		const onKey = (event: KeyboardEvent): void => {
			const { target } = event;
			if (target instanceof HTMLElement && target.closest("input, select, button, a")) return;
			if (event.altKey || event.ctrlKey || event.metaKey) return;
			const acts: Readonly<Record<string, () => void>> = {
				" ": toggle,
				ArrowLeft: () => step(-1),
				ArrowRight: () => step(1),
			};
			const act = acts[event.key];
			if (!act) return;
			event.preventDefault();
			act();
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	});
}

/** Minutes and seconds. */
function clock(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
