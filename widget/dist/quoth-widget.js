
export{t as QuothWidget}from"./quoth-shared.js";