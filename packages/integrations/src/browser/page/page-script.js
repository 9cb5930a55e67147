/* Functions that run in a world of their own in the page: neither sees what the other defines. The first argument is an element. */
globalThis.__tau ??= {
	source: (_, most) => document.documentElement.outerHTML.slice(0, most),

	turn: () =>
		new Promise((resolve) => {
			setTimeout(resolve, 0);
		}),

	focus: (node) => void node.focus?.(),

	isFileField: (node) => node instanceof HTMLInputElement && node.type === "file",

	changed: (node) => void node.dispatchEvent(new Event("change", { bubbles: true })),

	/** Controls on the screen, each with its role and name: for pages that are too large for a tree. */
	visibleControls(_, most) {
		const controls =
			"a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=tab],[role=checkbox],[role=menuitem],[contenteditable],[onclick]";
		const roles = {
			A: "link",
			BUTTON: "button",
			SELECT: "combobox",
			TEXTAREA: "textbox",
			SUMMARY: "DisclosureTriangle",
		};
		const inputs = {
			checkbox: "checkbox",
			radio: "radio",
			button: "button",
			submit: "button",
			range: "slider",
		};
		const found = new Set();
		const step = 16;
		for (let y = step / 2; y < innerHeight && found.size < most; y += step)
			for (let x = step; x < innerWidth && found.size < most; x += step * 4) {
				const control = document.elementFromPoint(x, y)?.closest(controls);
				if (control) found.add(control);
			}
		return [...found].flatMap((element) => {
			const own = element.tagName === "INPUT" ? (inputs[element.type] ?? "textbox") : roles[element.tagName];
			const role = element.getAttribute("role") ?? own ?? "generic";
			const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent;
			const name = label ?? element.textContent?.trim() ?? "";
			const text = name || element.getAttribute("placeholder") || element.title || "";
			return [element, role, text.slice(0, 200), String(element.value ?? "").slice(0, 200)];
		});
	},

	/**
	 * The size of the page, how many elements look as if a click did something, although no tag or role says so, and how
	 * many can be dragged.
	 */
	survey(_, mostElements, most) {
		const known = "a,button,input,select,textarea,label,summary,option,[role],[tabindex],[contenteditable]";
		const found = [];
		const all = document.getElementsByTagName("*");
		const isPointed = (element) => getComputedStyle(element).cursor === "pointer";
		for (let at = 0; at < all.length && at < mostElements && found.length < most; at++) {
			const element = all[at];
			const mayAct = element.hasAttribute("onclick") || isPointed(element);
			if (!mayAct || element.closest(known)) continue;
			// Of nested elements with the same cursor, the outer one.
			if (!element.hasAttribute("onclick") && element.parentElement && isPointed(element.parentElement))
				continue;
			if (element.getClientRects().length > 0) found.push(element);
		}
		globalThis.__tauClickables = found;
		const draggables = document.querySelectorAll("[draggable=true]").length;
		return { elements: all.length, clickables: found.length, draggables };
	},

	/** Those that the last survey has counted. */
	clickables: () => globalThis.__tauClickables ?? [],

	/** Elements that a page lets users drag. */
	draggables: (_, most) => [...document.querySelectorAll("[draggable=true]")].slice(0, most),

	/** The listeners inside tell where something can be dropped. */
	body: () => document.body ?? document.documentElement,

	/** Scrolls an element into view; says why it cannot be clicked, or has clicked it where only its label is visible. */
	prepare(node, isClick) {
		const element = node instanceof Element ? node : node.parentElement;
		if (!element?.isConnected) return { problem: "is gone. Look again" };
		if (element.disabled === true || element.closest("[inert]")) return { problem: "is disabled" };
		const boxOf = (each) => [...each.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
		const labels = [...(element.labels ?? [])];
		if (!boxOf(element)) {
			if (!isClick || !labels.some(boxOf)) return { problem: "is not visible" };
			element.click();
			return { isClicked: true };
		}
		const first = boxOf(element);
		const isInView =
			first.top >= 0 && first.left >= 0 && first.bottom <= innerHeight && first.right <= innerWidth;
		if (!isInView) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
		const box = boxOf(element) ?? first;
		const x = (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2;
		const y = (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2;
		let top = document.elementFromPoint(x, y);
		while (top?.shadowRoot) {
			const inner = top.shadowRoot.elementFromPoint(x, y);
			if (!inner || inner === top) break;
			top = inner;
		}
		const holds = (outer, inner) => {
			for (let at = inner; at; at = at.assignedSlot ?? at.parentNode ?? at.host)
				if (at === outer) return true;
			return false;
		};
		const isThere =
			!top ||
			holds(element, top) ||
			labels.some((each) => holds(each, top)) ||
			// A closed shadow root shows its host; a transparent element shows what is around it.
			(holds(top, element) && (top.getRootNode() !== element.getRootNode() || isTransparent(element)));
		if (isThere) return { x, y };
		const what = `${top.tagName.toLowerCase()} ${(top.textContent ?? "").trim().slice(0, 60)}`.trim();
		return { problem: `is covered by ${JSON.stringify(what)}` };

		function isTransparent(each) {
			return getComputedStyle(each).pointerEvents === "none";
		}
	},

	/** What cannot be typed is set, and anything else is selected, to be typed over. */
	prepareField(node, value) {
		const fire = () => {
			for (const name of ["input", "change"]) node.dispatchEvent(new Event(name, { bubbles: true }));
		};
		const quoted = JSON.stringify(value);
		if (node instanceof HTMLSelectElement) {
			const option = [...node.options].find((each) => each.label.trim() === value || each.value === value);
			if (!option) return { problem: `has no option ${quoted}` };
			node.value = option.value;
			fire();
			return { isDone: true };
		}
		if (!(node instanceof HTMLElement)) return { problem: "is not a field" };
		const isInput = node instanceof HTMLInputElement;
		const isText = isInput || node instanceof HTMLTextAreaElement;
		if (isText && node.disabled) return { problem: "is disabled" };
		if (isText && node.readOnly) return { problem: "is read-only" };
		if (isInput && /^(?:checkbox|radio)$/.test(node.type)) {
			if (node.checked !== /^(?:true|yes|on|checked|1)$/i.test(value)) node.click();
			return { isDone: true };
		}
		if (isInput && node.type === "file") return { problem: "takes files: use upload" };
		if (isInput && /^(?:date|time|datetime-local|month|week|color|range)$/.test(node.type)) {
			// Frameworks replace the property of the element itself.
			Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(node, value);
			if (node.value !== value && node.type !== "range")
				return { problem: `takes no ${quoted} as ${node.type}` };
			fire();
			return { isDone: true };
		}
		if (!isText && !node.isContentEditable) return { problem: "is not a field" };
		node.focus();
		if (isText) node.select();
		else getSelection()?.selectAllChildren(node);
		return {};
	},

	/** Chooses options; a text says what is wrong. */
	choose(node, wanted) {
		if (!(node instanceof HTMLSelectElement))
			return "is not a list of options. Click it, and then an option.";
		const named = (name) =>
			[...node.options].find((each) => each.label.trim() === name.trim() || each.value === name);
		const missing = wanted.find((name) => !named(name));
		if (missing !== undefined || wanted.length === 0) {
			const labels = [...node.options].slice(0, 50).map(({ label }) => label.trim().slice(0, 60));
			return `has no option ${JSON.stringify(missing ?? "")}. There are: ${labels.join(", ")}.`;
		}
		const chosen = new Set(wanted.map(named));
		for (const option of node.options) option.selected = chosen.has(option);
		for (const name of ["input", "change"]) node.dispatchEvent(new Event(name, { bubbles: true }));
		return "";
	},

	/** What is loaded when it comes into view is asked for with the next frames. */
	async scroll(node, by) {
		const top = by ?? Math.round(innerHeight * 0.9);
		const element = node instanceof Element ? node : node?.parentElement;
		if (element && by === null)
			element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
		else {
			const canScroll = (each) =>
				each.scrollHeight > each.clientHeight && /auto|scroll/.test(getComputedStyle(each).overflowY);
			let at = element;
			while (at && !canScroll(at)) at = at.parentElement;
			(at ?? document.scrollingElement)?.scrollBy({ top, behavior: "instant" });
		}
		const frame = () =>
			new Promise((resolve) => {
				requestAnimationFrame(resolve);
				// A tab in the background draws no frames.
				setTimeout(resolve, 100);
			});
		await frame();
		await frame();
	},

	/** Draws a frame and a number around each box, out of reach of the page's styles. */
	draw(_, boxes) {
		const host = document.createElement("div");
		host.style.cssText = "all:initial;position:fixed;inset:0;z-index:2147483647;pointer-events:none";
		const root = host.attachShadow({ mode: "closed" });
		for (const { ref, x, y, width, height } of boxes) {
			const frame = document.createElement("div");
			frame.style.cssText = `position:fixed;left:${x}px;top:${y}px;width:${width}px;height:${height}px;outline:2px solid #e0218a`;
			const label = document.createElement("span");
			label.textContent = ref;
			label.style.cssText =
				"position:absolute;left:0;top:-7px;font:bold 11px sans-serif;color:#fff;background:#e0218a;padding:0 3px";
			frame.append(label);
			root.append(frame);
		}
		document.documentElement.append(host);
		return host;
	},

	remove: (node) => void node.remove(),

	/** A link with the attribute asks for a file; from another origin the server decides. */
	requestFile(_, url) {
		const link = document.createElement("a");
		link.href = url;
		link.download = "";
		document.documentElement.append(link);
		link.click();
		link.remove();
	},
};
