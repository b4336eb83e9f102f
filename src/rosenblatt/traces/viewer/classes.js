// The appearance of each class in every picture: its shape, its matplotlib marker, and its colour on light
// and dark backgrounds. This is the only such table: `class_colours.py` reads it for plots and style
// sheets. Class 0 is −, class 1 is +.
export const CLASSES = [
  {"shape": "square", "marker": "s", "light": "#d55e00", "dark": "#e69f00"},
  {"shape": "circle", "marker": "o", "light": "#0072b2", "dark": "#56b4e9"},
  {"shape": "triangle", "marker": "^", "light": "#009e73", "dark": "#2fc79a"},
  {"shape": "diamond", "marker": "D", "light": "#c2649a", "dark": "#e39bc4"},
  {"shape": "triangle on its tip", "marker": "v", "light": "#a87000", "dark": "#f2672a"},
  {"shape": "pentagon", "marker": "p", "light": "#3a93c8", "dark": "#3d8fd6"},
  {"shape": "plus", "marker": "P", "light": "#857b00", "dark": "#f0e442"},
  {"shape": "star", "marker": "*", "light": "#1c1f23", "dark": "#e7eaec"},
  {"shape": "cross", "marker": "X", "light": "#7b3fa0", "dark": "#b58be0"},
  {"shape": "hexagon", "marker": "h", "light": "#7a4a2b", "dark": "#b98d6e"}
];
