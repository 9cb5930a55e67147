/** The types of `announce.js`, for tests. */
export function announce(
	vscode: unknown,
	context: {
		subscriptions: { dispose(): void }[];
		environmentVariableCollection: { replace(name: string, value: string): void };
	},
	home?: string,
): Promise<{ port: number; lock: string }>;
