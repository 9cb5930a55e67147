/**
 * A page that the model has made, in an origin of its own: it reaches neither this page nor the network. It is asked
 * whether it lives, and ended when it does not answer.
 */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { limits } from "../limits.ts";

export function ArtifactFrame({ text, title }: { text: string; title: string }): JSX.Element {
	const frame = useRef<HTMLIFrameElement>(null);
	const [runs, setRuns] = useState(1);
	const [isEnded, setEnded] = useState(false);
	useEffect(() => {
		if (isEnded) return undefined;
		return keepAlive(
			() => frame.current?.contentWindow ?? null,
			text,
			() => setEnded(true),
		);
	}, [runs, isEnded, text]);
	if (isEnded)
		return (
			<div class="notice notice-warning" role="alert">
				<p>The document did not answer and was ended.</p>
				<button
					type="button"
					onClick={() => {
						setEnded(false);
						setRuns(runs + 1);
					}}
				>
					Start it again
				</button>
			</div>
		);
	return (
		<iframe
			key={runs}
			ref={frame}
			class="artifact-frame"
			title={title}
			src="/artifact"
			sandbox="allow-scripts"
		/>
	);
}

/** Returns what ends it. */
function keepAlive(frame: () => Window | null, text: string, onDead: () => void): () => void {
	const { port1: port, port2: other } = new MessageChannel();
	let [answeredAt, isShown] = [performance.now(), false];
	port.addEventListener("message", () => (answeredAt = performance.now()));
	port.start();
	const onMessage = ({ source, data }: MessageEvent): void => {
		// Any page may send messages; the frame is known by its window, since its origin is none.
		if (source === null || source !== frame() || data !== "ready" || isShown) return;
		isShown = true;
		answeredAt = performance.now();
		frame()?.postMessage(text, "*", [other]);
	};
	addEventListener("message", onMessage);
	const timer = setInterval(() => {
		if (document.hidden || !isShown) answeredAt = performance.now();
		else if (performance.now() - answeredAt > limits.heartbeatMs) onDead();
		else port.postMessage("alive?");
	}, limits.heartbeatMs / 4);
	return () => {
		clearInterval(timer);
		removeEventListener("message", onMessage);
		port.close();
	};
}
