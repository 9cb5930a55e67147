/** The title of the tab: the session, and what happens in it. */
import { stripControls } from "@tau/utils/portable";
import { useEffect } from "preact/hooks";

import { current } from "../store/current.ts";
import { route, type Route } from "../store/route.ts";
import { waitingCount } from "../store/sessions.ts";

/** A tab in the background says what waits. */
export function useTitle(): void {
	const now = current.value;
	const places: Partial<Record<Route["name"], string>> = {
		stats: "Statistics",
		gateway: "Gateway",
		fleet: "Fleet",
		new: "New session",
	};
	const elsewhere = places[route.value.name] ?? "Tau";
	const name =
		now.kind === "open" ? stripControls(now.session.facts.value.session.name ?? "Session") : elsewhere;
	const open = now.kind === "open" ? now.session : undefined;
	const mark = open && open.requests.value.length > 0 ? "❓ " : open?.isBusy.value ? "● " : "";
	const others = waitingCount.value > 0 && mark === "" ? `(${waitingCount.value}) ` : "";
	useEffect(() => {
		document.title = `${mark}${others}${name}${name === "Tau" ? "" : " · Tau"}`;
	}, [mark, others, name]);
}
