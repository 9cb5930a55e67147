/** Asks the session for what a panel shows, again whenever something that it depends on has changed. */
import { useEffect, useState } from "preact/hooks";

export interface Loaded<T> {
	readonly data: T | undefined;
	readonly error: string | undefined;
	reload(): void;
}

export function useLoaded<T>(load: () => Promise<T>, depends: readonly unknown[]): Loaded<T> {
	const [data, setData] = useState<T>();
	const [error, setError] = useState<string>();
	const [times, setTimes] = useState(0);
	useEffect(() => {
		let isGone = false;
		load().then(
			(loaded) => {
				if (isGone) return;
				setData(() => loaded);
				setError(undefined);
			},
			(reason: unknown) => {
				if (!isGone) setError(reason instanceof Error ? reason.message : String(reason));
			},
		);
		return () => {
			isGone = true;
		};
	}, [...depends, times]);
	return { data, error, reload: () => setTimes(times + 1) };
}
