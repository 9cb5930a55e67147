/** Asks the session for what a panel shows, again whenever something that it depends on has changed. */
import { useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<T> {
	readonly data: T | undefined;
	readonly error: string | undefined;
	/** Resolves when the answer is shown, or a later one is on its way. */
	reload(): Promise<void>;
}

export function useLoaded<T>(load: () => Promise<T>, depends: readonly unknown[]): Loaded<T> {
	const [data, setData] = useState<T>();
	const [error, setError] = useState<string>();
	// Answers may come in another order: only the one that was asked for last is shown.
	const last = useRef(0);
	const ask = async (): Promise<void> => {
		const mine = ++last.current;
		try {
			const loaded = await load();
			if (mine !== last.current) return;
			setData(() => loaded);
			setError(undefined);
		} catch (reason) {
			if (mine === last.current) setError(reason instanceof Error ? reason.message : String(reason));
		}
	};
	useEffect(() => {
		void ask();
		return () => {
			last.current++;
		};
	}, [...depends]);
	return { data, error, reload: ask };
}
