/**
 * A page that the model or an extension has made, in an origin of its own: it reaches neither this page nor the network.
 * It is asked whether it lives, and ended when it does not answer or sends more than answers.
 */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

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
	useEffect(() => {
		if (phase !== "running") return undefined;
		running.value++;
		const stop = keepAlive(
			() => frame.current?.contentWindow ?? null,
			text,
			(reason) => setPhase({ ended: reason }),
		);
		return () => {
			running.value--;
			stop();
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

/** Returns what ends it. */
function keepAlive(frame: () => Window | null, text: string, onEnd: (reason: string) => void): () => void {
	const { port1: port, port2: other } = new MessageChannel();
	let [answeredAt, isShown, messages] = [performance.now(), false, 0];
	const count = (): void => {
		// The document can send as itself, and take the port from the code that answers.
		if (++messages > limits.frameMessages) onEnd("The document sent too many messages and was ended.");
	};
	port.addEventListener("message", () => {
		answeredAt = performance.now();
		count();
	});
	port.start();
	const onMessage = ({ source, data }: MessageEvent): void => {
		// Any page may send messages; the frame is known by its window, since its origin is none.
		if (source === null || source !== frame()) return;
		if (isShown || data !== "ready") return count();
		isShown = true;
		answeredAt = performance.now();
		frame()?.postMessage(text, "*", [other]);
	};
	addEventListener("message", onMessage);
	const timer = setInterval(() => {
		messages = 0;
		if (document.hidden || !isShown) answeredAt = performance.now();
		else if (performance.now() - answeredAt > limits.heartbeatMs)
			onEnd("The document did not answer and was ended.");
		else port.postMessage("alive?");
	}, limits.heartbeatMs / 4);
	return () => {
		clearInterval(timer);
		removeEventListener("message", onMessage);
		port.close();
	};
}
