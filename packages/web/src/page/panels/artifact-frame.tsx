/**
 * A page that the model or an extension has made, in an origin of its own: it reaches neither this page nor the network.
 * It is asked whether it lives, and ended when it does not answer or sends more than answers.
 */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { limits } from "../limits.ts";

interface FrameProps {
	text: string;
	title: string;
	/** In pixels; the whole panel without it. */
	height?: number;
}

/** How many run in this page. */
const running = signal(0);

type Phase = "waiting" | "running" | { readonly ended: string };

export function ArtifactFrame({ text, title, height }: FrameProps): JSX.Element {
	const frame = useRef<HTMLIFrameElement>(null);
	const [phase, setPhase] = useState<Phase>(() => (running.peek() < limits.frames ? "running" : "waiting"));
	// Before the frame can load: its only "ready" would be missed by what listens after the next picture of the page.
	useLayoutEffect(() => {
		if (phase !== "running") return undefined;
		running.value++;
		const onEnd = (reason: string): void => setPhase({ ended: reason });
		const stop = keepAlive(() => frame.current?.contentWindow ?? null, text, onEnd);
		const release = keepKeys(() => frame.current, onEnd);
		return () => {
			running.value--;
			stop();
			release();
		};
	}, [phase, text]);
	if (phase !== "running")
		return (
			<div class="notice notice-warning" role={phase === "waiting" ? "note" : "alert"}>
				<p>{phase === "waiting" ? `${limits.frames} documents run in this page already.` : phase.ended}</p>
				<button type="button" onClick={() => setPhase("running")}>
					{phase === "waiting" ? `Start ${title}` : "Start it again"}
				</button>
			</div>
		);
	return (
		<iframe
			ref={frame}
			class="artifact-frame"
			title={title}
			src="/artifact"
			sandbox="allow-scripts"
			allow="camera 'none'; microphone 'none'; geolocation 'none'; clipboard-read 'none'; clipboard-write 'none'"
			style={height === undefined ? undefined : { minBlockSize: 0, blockSize: `${height}px` }}
		/>
	);
}

/** A document can make frames in itself, whose messages are its own. */
function isWithin(source: MessageEventSource | null, frame: Window): boolean {
	let window = source instanceof MessagePort ? null : (source as Window | null);
	while (window && window !== frame && window !== window.parent) window = window.parent;
	return window === frame;
}

/**
 * What the user writes is for the field that they write in: a document that takes the focus meanwhile would get the rest
 * of a prompt, or of a secret. It is given back, and the document is ended when it does not stop. A click into the frame
 * is not seen here; it never comes right behind a key. Returns what ends the watch.
 */
function keepKeys(frame: () => HTMLElement | null, onEnd: (reason: string) => void): () => void {
	const watching = new AbortController();
	const until = { signal: watching.signal, capture: true };
	let [field, usedAt, taken] = [document.activeElement, Number.NEGATIVE_INFINITY, 0];
	const onUse = (event: Event): void => {
		// Tab leads into the frame.
		const isTab = event instanceof KeyboardEvent && event.key === "Tab";
		usedAt = isTab ? Number.NEGATIVE_INFINITY : performance.now();
	};
	addEventListener("keydown", onUse, until);
	addEventListener("pointerdown", onUse, until);
	addEventListener(
		"focusin",
		({ target }) => (field = target === frame() ? field : (target as Element)),
		until,
	);
	const onBlur = (): void => {
		if (document.activeElement !== frame() || performance.now() - usedAt > limits.frameFocusMs) return;
		if (++taken > limits.frameFocuses) return onEnd("The document took the keyboard and was ended.");
		// The frame has the keyboard only after this event.
		setTimeout(() => field instanceof HTMLElement && field.focus());
	};
	addEventListener("blur", onBlur, until);
	return () => watching.abort();
}

/** Returns what ends it. */
function keepAlive(frame: () => Window | null, text: string, onEnd: (reason: string) => void): () => void {
	const { port1: port, port2: other } = new MessageChannel();
	let [unanswered, isShown, messages] = [0, false, 0];
	const count = (): void => {
		// The document can send as itself, and take the port from the code that answers.
		if (++messages > limits.frameMessages) onEnd("The document sent too many messages and was ended.");
	};
	port.addEventListener("message", () => {
		unanswered = 0;
		count();
	});
	port.start();
	const onMessage = ({ source, data }: MessageEvent): void => {
		// Any page may send messages; the frame is known by its window, since its origin is none.
		const own = frame();
		if (!own || !isWithin(source, own)) return;
		if (isShown || source !== own || data !== "ready") return count();
		isShown = true;
		frame()?.postMessage(text, "*", [other]);
	};
	addEventListener("message", onMessage);
	const timer = setInterval(() => {
		messages = 0;
		if (document.hidden || !isShown) unanswered = 0;
		// Questions are counted and not time, which also passes for a page that has to wait for the processor itself.
		else if (++unanswered > limits.heartbeats) onEnd("The document did not answer and was ended.");
		else port.postMessage("alive?");
	}, limits.heartbeatMs);
	return () => {
		clearInterval(timer);
		removeEventListener("message", onMessage);
		port.close();
	};
}
