/** Where the user is, as the fragment of the address says: it never leaves the browser. */
import { signal } from "@preact/signals";

export type Route =
	| { readonly name: "home" }
	/** Where to start a session: beside the list where there is room. */
	| { readonly name: "new" }
	| { readonly name: "gateway" }
	| { readonly name: "fleet" }
	| { readonly name: "session"; readonly id: string }
	/** `24h`, `7d`, `all`, or a day. */
	| { readonly name: "stats"; readonly range: string };

export const usualRange = "30d";

export const route = signal<Route>(routeOf(location.hash));

addEventListener("hashchange", () => {
	route.value = routeOf(location.hash);
});

export function goTo(next: Route): void {
	location.hash = fragmentOf(next);
}

function fragmentOf(next: Route): string {
	if (next.name === "session") return `#/s/${encodeURIComponent(next.id)}`;
	if (next.name === "gateway" || next.name === "fleet" || next.name === "new") return `#/${next.name}`;
	return next.name === "stats" ? `#/stats/${next.range}` : "#/";
}

function routeOf(fragment: string): Route {
	const [isStats, range = usualRange] = /^#\/stats(?:\/([\w-]+))?$/.exec(fragment) ?? [];
	if (isStats !== undefined) return { name: "stats", range };
	if (fragment === "#/gateway") return { name: "gateway" };
	if (fragment === "#/fleet") return { name: "fleet" };
	if (fragment === "#/new") return { name: "new" };
	const [, id] = /^#\/s\/([^/?]+)/.exec(fragment) ?? [];
	try {
		return id === undefined ? { name: "home" } : { name: "session", id: decodeURIComponent(id) };
	} catch {
		return { name: "home" };
	}
}

/** The token of the link that Tau printed; it is taken out of the address at once. `to` is where the link leads. */
export function takeToken(): string | undefined {
	return followLink(location.hash);
}

/** The token of a link as a user has copied it, with whatever stands before it. Undefined where it has none. */
export function followLink(text: string): string | undefined {
	const [, token, to = ""] = /#token=([\w-]+)(?:&to=([\w/-]+))?/.exec(text) ?? [];
	if (token === undefined) return undefined;
	const next = routeOf(`#/${to}`);
	history.replaceState(null, "", `/${fragmentOf(next)}`);
	route.value = next;
	return token;
}
