/** The bounds of the transport, each with its reason. */
export const limits = {
	/** The roots that systems ship are some 250 KB; what is far larger is no file of certificates. */
	pemBytes: 4 * 1024 * 1024,
} as const;
