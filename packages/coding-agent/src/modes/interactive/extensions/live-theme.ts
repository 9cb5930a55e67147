/** The theme as extensions hold it: whoever keeps it draws with the colours of the moment. */
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
