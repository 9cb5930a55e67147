/** A game with keys over the screen: /catch, then the arrows move the basket under what falls, and q ends the game. */
import type { ExtensionAPI } from "@tau/coding-agent";

const columns = 9;
const rows = 5;

export default function catchIt(pi: ExtensionAPI) {
	pi.registerCommand("catch", {
		description: "Play while the model works",
		async handler(_args, { ui }) {
			const caught = await ui.custom<number>(
				(tui, theme, keys, done) => {
					let [basket, drop, row, score] = [4, 4, 0, 0];
					const fall = (): void => {
						row++;
						if (row < rows) return;
						if (basket === drop) score++;
						[drop, row] = [(drop + 4) % columns, 0];
					};
					const line = (at: number): string => (at === row ? " ".repeat(drop) + theme.fg("accent", "o") : "");
					return {
						render: () => [
							theme.bold(`Caught: ${score}`),
							...Array.from({ length: rows }, (_, at) => line(at)),
							`${" ".repeat(basket)}u`,
						],
						invalidate() {},
						handleInput(data) {
							if (data === "q" || keys.matches(data, "tui.select.cancel")) return done(score);
							if (keys.matches(data, "tui.editor.cursorLeft")) basket = Math.max(0, basket - 1);
							if (keys.matches(data, "tui.editor.cursorRight")) basket = Math.min(columns - 1, basket + 1);
							// Each key is a step, so that a game can be played over a slow line.
							fall();
							return tui.requestRender();
						},
					};
				},
				{ overlay: true, overlayOptions: { anchor: "center", width: 20 } },
			);
			ui.notify(caught === undefined ? "There is no screen to play on." : `You caught ${caught}.`);
		},
	});
}
