
export{n as QuothWidget}from"./quoth-shared.js";