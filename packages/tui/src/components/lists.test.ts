/** Selection lists: key handling, callbacks, and the cost of a long list. */
import { afterEach, describe, expect, test } from "bun:test";
import { paste, press, type } from "../editor/testing/keyboard.ts";
import { KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from "../input/index.ts";
import { visibleWidth } from "../text.ts";
import { selectListTheme, settingsListTheme } from "../theme/component-themes.ts";
import {
	MultiSelectList,
	SelectList,
	SettingsList,
	Tabs,
	type MultiSelectOptions,
	type SelectItem,
	type SettingItem,
} from "./index.ts";
import { readable, tokenTheme as theme } from "./testing/token-theme.ts";

afterEach(() => setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS)));

function shown(component: { render(width: number): string[] }, width = 40): string[] {
	return component.render(width).map((row) => Bun.stripANSI(row).trimEnd());
}

function items(count: number): SelectItem[] {
	return Array.from({ length: count }, (_, at) => ({ value: `v${at}`, label: `item ${at}` }));
}

function selectList(count: number, visible = 5) {
	const list = new SelectList(items(count), visible, selectListTheme(theme));
	const calls: string[] = [];
	list.onSelect = ({ value }) => void calls.push(`select ${value}`);
	list.onCancel = () => void calls.push("cancel");
	list.onSelectionChange = ({ value }) => void calls.push(value);
	return { list, calls };
}

describe("a select list", () => {
	test("wraps around with the arrows, and stops at the ends with the page keys", () => {
		const { list, calls } = selectList(8, 3);
		press(list, "up", "down", "pageDown", "pageDown", "pageDown", "pageDown", "pageUp", "home", "end");
		expect(calls).toEqual(["v7", "v0", "v3", "v6", "v7", "v7", "v4", "v0", "v7"]);
	});

	test("reports selection and cancellation", () => {
		const { list, calls } = selectList(3);
		press(list, "down", "enter", "escape", "ctrl+c");
		expect(calls).toEqual(["v1", "select v1", "cancel", "cancel"]);
	});

	test("selects by number if it has numbers", () => {
		const list = new SelectList(items(11), 11, selectListTheme(theme), { numbered: true });
		const chosen: string[] = [];
		list.onSelect = ({ value }) => void chosen.push(value);
		expect(shown(list).slice(7, 11)).toEqual([
			"   8. item 7",
			"   9. item 8",
			"      item 9",
			"      item 10",
		]);
		type(list, "30");
		list.setFilter("item 10");
		type(list, "12");
		expect(chosen).toEqual(["v2", "v10"]);
		const plain = selectList(3);
		type(plain.list, "2");
		expect(plain.calls).toEqual([]);
	});

	test("uses the user's key bindings", () => {
		setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, { "tui.select.down": "j" }));
		const { list, calls } = selectList(3);
		press(list, "j", "down");
		expect(calls).toEqual(["v1"]);
	});

	test("shows the part around the selection and the position", () => {
		const { list } = selectList(20, 3);
		list.setSelectedIndex(10);
		expect(shown(list)).toEqual(["   item 9", " ❯ item 10", "   item 11", "   (11/20)"]);
		list.setSelectedIndex(Number.NaN);
		expect(list.getSelectedItem()?.value).toBe("v0");
		list.setSelectedIndex(1e9);
		expect(list.getSelectedItem()?.value).toBe("v19");
	});

	test("paints the selected row over its whole width, and leaves the description in its own color", () => {
		const list = new SelectList(
			[{ value: "a", label: "a", description: "about a" }],
			5,
			selectListTheme(theme),
		);
		const [row = ""] = list.render(30);
		expect(visibleWidth(row)).toBe(30);
		expect(readable(row)).toStartWith("‹selectedBg›‹accent› ❯ ");
		expect(readable(row)).toContain("‹muted›");
	});

	test("with numbers chooses a row by its number, and nothing by a number that no row has", () => {
		const chosen: string[] = [];
		const rows = Array.from({ length: 11 }, (_, at) => ({ value: `v${at}`, label: `item ${at}` }));
		const list = new SelectList(rows, 20, selectListTheme(theme), { numbered: true });
		list.onSelect = ({ value }) => void chosen.push(value);
		expect(shown(list).slice(0, 2)).toEqual([" ❯ 1. item 0", "   2. item 1"]);
		expect(shown(list).at(-1)).toBe("      item 10");
		press(list, "3", "0");
		expect(chosen).toEqual(["v2"]);
	});

	test("has all descriptions beside their labels, or all below", () => {
		const choices = [
			{ value: "a", label: "To the nearest cent (recommended)", description: "what most shops do" },
			{ value: "b", label: "Always down", description: "in favor of the customer" },
		];
		const list = new SelectList(choices, 5, selectListTheme(theme), { numbered: true, wrapItems: true });
		const at = (width: number) => shown(list, width);
		expect(at(90)).toEqual([
			" ❯ 1. To the nearest cent (recommended)  what most shops do",
			"   2. Always down                        in favor of the customer",
		]);
		expect(at(50)).toEqual([
			" ❯ 1. To the nearest cent (recommended)",
			"      what most shops do",
			"   2. Always down",
			"      in favor of the customer",
		]);
	});

	test("is filtered by typing, the best match first", () => {
		const { list } = selectList(20);
		list.setFilter("17");
		expect(list.getSelectedItem()?.value).toBe("v17");
		list.setFilter("nothing");
		expect(shown(list)).toEqual(["   No matches"]);
		expect(list.getSelectedItem()).toBeNull();
	});

	test("without a match accepts every key without harm", () => {
		const { list, calls } = selectList(0);
		press(list, "up", "down", "pageUp", "pageDown", "home", "end", "enter", "escape");
		expect(calls).toEqual(["cancel"]);
	});

	test("reads only the visible names, once their width is known", () => {
		let read = 0;
		const many = Array.from({ length: 200_000 }, (_, at) => ({
			value: `v${at}`,
			get label() {
				read++;
				return `item ${at}`;
			},
		}));
		const list = new SelectList(many, 10, selectListTheme(theme));
		list.render(80);
		read = 0;
		press(list, "pageDown");
		list.render(80);
		expect(read).toBeLessThan(50);
	});

	test("does not measure a name that is a whole file", () => {
		const list = new SelectList(
			[{ value: "x", label: `start${"\u200b".repeat(5_000)}end` }],
			5,
			selectListTheme(theme),
		);
		expect(shown(list)[0]).toStartWith(" ❯ start");
		expect(shown(list)[0]).not.toContain("end");
	});

	test("shows untrusted names as plain text", () => {
		const evil = { value: "x", label: "a\x1b[2Jb\nc\x1b]52;c;aGk=\x07", description: "\x1b[31mred\u202e" };
		const list = new SelectList([evil], 5, selectListTheme(theme));
		expect(shown(list)).toEqual([" ❯ ab c          red"]);
	});
});

describe("a multi-select list", () => {
	function multi(options: MultiSelectOptions = {}) {
		const list = new MultiSelectList(
			items(12).map((item, at) => ({ ...item, isChosen: at === 3 })),
			5,
			selectListTheme(theme),
			options,
		);
		const calls: string[][] = [];
		list.onConfirm = (values) => void calls.push(values);
		list.onCancel = () => void calls.push(["cancel"]);
		return { list, calls };
	}

	test("returns the chosen items in the order of the list", () => {
		const { list, calls } = multi();
		press(list, "down", " ", "up", " ", "enter");
		expect(calls).toEqual([["v0", "v1", "v3"]]);
		expect(shown(list)[0]).toBe(" ❯ [✓] item 0");
	});

	test("undoes a choice, and all choices", () => {
		const { list } = multi();
		press(list, " ", " ");
		expect(list.values).toEqual(["v3"]);
		press(list, "ctrl+a");
		expect(list.values).toHaveLength(12);
		press(list, "ctrl+a");
		expect(list.values).toEqual([]);
	});

	test("keeps choices during a search; the first Escape ends the search", () => {
		const { list, calls } = multi({ enableSearch: true });
		type(list, "11");
		press(list, " ", "escape");
		expect(calls).toEqual([]);
		expect(shown(list)).toContain("  2 of 12 selected");
		press(list, "enter", "escape");
		expect(calls).toEqual([["v3", "v11"], ["cancel"]]);
	});
});

describe("a list of settings", () => {
	function settingsList(more: Partial<SettingItem> = {}, enableSearch = false) {
		const calls: string[] = [];
		const list = new SettingsList(
			[
				{ id: "theme", label: "Theme", currentValue: "dark", values: ["dark", "light"], ...more },
				{ id: "sound", label: "Sound", currentValue: "off", values: ["off", "on"], description: "A bell" },
			],
			5,
			settingsListTheme(theme),
			(id, value) => void calls.push(`${id}=${value}`),
			() => void calls.push("cancel"),
			{ enableSearch },
		);
		return { list, calls };
	}

	test("a setting can be selected by its id; an unknown one changes nothing", () => {
		const { list, calls } = settingsList();
		list.selectItem("sound");
		list.selectItem("nothing");
		press(list, "enter");
		expect(calls).toEqual(["sound=on"]);
	});

	test("cycles through the values with Enter and Space", () => {
		const { list, calls } = settingsList();
		press(list, "enter", " ", "down", " ");
		expect(calls).toEqual(["theme=light", "theme=dark", "sound=on"]);
		expect(shown(list)).toEqual([
			"  Theme  dark",
			"❯ Sound  on",
			"",
			"  A bell",
			"",
			"  enter/space to change · esc to close",
		]);
	});

	test("shows a value that changed elsewhere", () => {
		const { list } = settingsList();
		list.updateValue("sound", "on");
		expect(shown(list)[1]).toBe("  Sound  on");
	});

	test("is filtered by typing or pasting, and Escape clears the search before it closes", () => {
		const { list, calls } = settingsList({}, true);
		list.focused = true;
		type(list, "sou");
		expect(shown(list)).not.toContainEqual(expect.stringContaining("Theme"));
		press(list, "enter", "escape");
		expect(calls).toEqual(["sound=on"]);
		paste(list, "theme");
		expect(shown(list)[2]).toBe("❯ Theme  dark");
		press(list, "escape", "escape");
		expect(calls).toEqual(["sound=on", "cancel"]);
	});

	test("shows that nothing matches, and changes nothing then", () => {
		const { list, calls } = settingsList({}, true);
		type(list, "zzzz");
		press(list, "enter", "down");
		expect(shown(list)).toContain("  No matching settings");
		expect(calls).toEqual([]);
	});

	test("opens a submenu, gives it the keys, and uses its value", () => {
		const keys: string[] = [];
		const submenu: SettingItem["submenu"] = (_, done) => ({
			render: () => ["submenu"],
			invalidate: () => {},
			handleInput: (data) => {
				keys.push(data);
				if (data === "x") done("blue");
				if (data === "q") done();
			},
		});
		const { list, calls } = settingsList({ submenu });
		press(list, "enter");
		expect(shown(list)).toEqual(["submenu"]);
		press(list, "a", "x", "enter", "q", "enter");
		expect(keys).toEqual(["a", "x", "q"]);
		expect(calls).toEqual(["theme=blue"]);
	});

	test("closes a submenu that finishes before it is open, or finishes twice", () => {
		const finish: (() => void)[] = [];
		const submenu: SettingItem["submenu"] = (value, done) => {
			finish.push(() => done("later"));
			if (value === "dark") done("at once");
			return { render: () => ["submenu"], invalidate: () => {} };
		};
		const { list, calls } = settingsList({ submenu });
		press(list, "enter");
		expect(shown(list)[0]).toBe("❯ Theme  at once");
		press(list, "enter");
		finish[0]?.();
		expect(shown(list)).toEqual(["submenu"]);
		expect(calls).toEqual(["theme=at once"]);
	});

	test("passes the caret to the submenu and back", () => {
		const field = { focused: false, render: () => ["field"], invalidate: () => {} };
		let close = (): void => {};
		const submenu: SettingItem["submenu"] = (_, done) => {
			close = done;
			return field;
		};
		const { list } = settingsList({ submenu });
		list.focused = true;
		press(list, "enter");
		expect(field.focused).toBe(true);
		close();
		expect(field.focused).toBe(false);
	});
});

describe("tabs", () => {
	const tabs = (count: number): Tabs =>
		new Tabs(
			Array.from({ length: count }, (_, at) => ({ id: `${at}`, label: `Tab ${at}` })),
			theme,
		);

	test("go forward and back with tab and arrows, and wrap around", () => {
		const row = tabs(3);
		const calls: string[] = [];
		row.onChange = ({ id }) => void calls.push(id);
		for (const key of ["\t", "\x1b[C", "\x1b[C", "\x1b[D", "\x1b[Z"]) expect(row.handleKey(key)).toBe(true);
		expect(calls).toEqual(["1", "2", "0", "2", "1"]);
		expect(row.handleKey("x")).toBe(false);
	});

	test("always show the open one, and mark hidden ones", () => {
		const row = tabs(20);
		for (let at = 0; at < 10; at++) row.handleKey("\t");
		const [line = ""] = shown(row, 30);
		expect(line).toContain("Tab 10");
		expect([line.startsWith("‹"), line.endsWith("›")]).toEqual([true, true]);
		expect(shown(tabs(3), 30)).toEqual([" Tab 0  Tab 1  Tab 2"]);
	});

	test("keep the open one open when others are added and removed", () => {
		const row = tabs(3);
		row.handleKey("\t");
		row.setTabs([
			{ id: "new", label: "New" },
			{ id: "1", label: "Tab 1" },
		]);
		expect(row.open?.id).toBe("1");
		row.setTabs([{ id: "new", label: "New" }]);
		expect(row.open?.id).toBe("new");
	});

	test("can be opened by name", () => {
		const row = tabs(3);
		expect([row.select("2"), row.open?.id]).toEqual([true, "2"]);
		expect([row.select("nowhere"), row.open?.id]).toEqual([false, "2"]);
	});

	test("with one entry or none do not handle keys", () => {
		expect(tabs(0).handleKey("\t")).toBe(false);
		expect(tabs(0).open).toBeUndefined();
		expect(tabs(1).handleKey("\t")).toBe(false);
	});
});
