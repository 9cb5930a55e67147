/** The theme object for extensions: one that is stored still draws with the current colours. */
import type { Theme } from "@tau/tui";

export function liveTheme(store: { readonly current: Theme }): Theme {
	return new Proxy(store.current, {
		get(_, name) {
			const { current } = store;
			const member: unknown = Reflect.get(current, name, current);
			return typeof member === "function" ? member.bind(current) : member;
		},
	});
}
