/** What an extension of the session draws of a message or a call; until then, and without one, what is in it. */
import type { CommandFields, WebDrawing } from "@tau/wire";
import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

import { lazy } from "../parts/lazy.tsx";
import { SessionContext } from "../store/session-context.ts";

const WebView = lazy(async () => (await import("./web-view.tsx")).WebView);

interface DrawnProps {
	about: CommandFields<"draw_for_web">;
	children: ComponentChildren;
}

export function Drawn({ about, children }: DrawnProps): JSX.Element {
	const { draw } = useContext(SessionContext);
	const [drawing, setDrawing] = useState<WebDrawing>({});
	const { entryId, toolCallId } = about;
	useEffect(() => {
		let isShown = true;
		void draw?.(about).then((made) => {
			if (isShown) setDrawing(made);
		});
		return () => {
			isShown = false;
		};
	}, [draw, entryId, toolCallId]);
	const { parts, problem } = drawing;
	if (parts) return <WebView parts={parts} />;
	return (
		<>
			{problem !== undefined && <p class="notice notice-warning">{problem}</p>}
			{children}
		</>
	);
}
