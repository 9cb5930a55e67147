/** A component that is loaded when it is shown for the first time. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export function lazy<P extends object>(
	load: () => Promise<ComponentType<P>>,
): (props: P) => JSX.Element | null {
	let loaded: ComponentType<P> | undefined;
	return function Lazy(props: P): JSX.Element | null {
		const [Shown, setShown] = useState<ComponentType<P> | undefined>(() => loaded);
		useEffect(() => {
			if (loaded) return;
			load().then(
				(made) => {
					loaded = made;
					setShown(() => made);
				},
				// The network is gone: the next attempt to show it loads it again.
				() => {},
			);
		}, []);
		return Shown ? <Shown {...props} /> : null;
	};
}
