/** Calls back in a later turn of the event loop, after input that waits: at once where the runtime can, as pages cannot. */
export const nextMacrotask: (callback: () => void) => void =
	typeof setImmediate === "function" ? (callback) => void setImmediate(callback) : throughPort();

/** Unlike timers, messages of a port are not slowed down after some turns. */
function throughPort(): (callback: () => void) => void {
	const waiting: (() => void)[] = [];
	let channel: MessageChannel | undefined;
	return (callback) => {
		waiting.push(callback);
		if (!channel) {
			channel = new MessageChannel();
			channel.port1.addEventListener("message", () => waiting.shift()?.());
			channel.port1.start();
		}
		channel.port2.postMessage(null);
	};
}
